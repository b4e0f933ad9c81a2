// A Julia set of quaternions: the distance estimate is that of the iteration z -> z * z + c and its derivative.
vec4 square(vec4 q) { return vec4(q.x * q.x - dot(q.yzw, q.yzw), 2.0 * q.x * q.yzw); }

float julia(vec3 p, out float least) {
    vec4 z = vec4(p, 0.0), c = vec4(-0.2, 0.62, 0.18, -0.31);
    float size = 1.0, slope = 1.0;
    least = 1e9;
    for (int k = 0; k < 11 && size < 16.0; k++) {
        slope *= 4.0 * size;
        z = square(z) + c;
        size = dot(z, z);
        least = min(least, length(z.xz - vec2(0.45, 0.55)));
    }
    return 0.25 * sqrt(size / slope) * log(size);
}

void mainImage(out vec4 color, in vec2 pixel) {
    vec2 at = (2.0 * pixel - iResolution.xy) / iResolution.y;
    float angle = 2.35 + 0.4 * iTime, trap, other;
    vec3 eye = 3.0 * vec3(cos(angle), 0.36, sin(angle)), ahead = normalize(-eye), side = normalize(cross(ahead, vec3(0, 1, 0)));
    vec3 ray = normalize(2.35 * ahead + at.x * side + at.y * cross(side, ahead)), sun = normalize(vec3(-0.3, 0.8, 0.45));
    vec3 seen = mix(vec3(0.05, 0.07, 0.12), vec3(0.22, 0.27, 0.36), exp(-1.2 * dot(at, at)));
    float t = 1.4, d = 1.0;
    for (int k = 0; k < 200 && d > 0.0005 && t < 4.6; k++) { d = julia(eye + t * ray, trap); t += d; }
    if (t < 4.6) {
        vec3 p = eye + t * ray, n = vec3(0);
        for (int k = 0; k < 4; k++) {
            vec3 way = 0.5773 * (2.0 * vec3((k + 3 >> 1) & 1, k >> 1 & 1, k & 1) - 1.0);
            n += way * julia(p + 0.0007 * way, other);
        }
        n = normalize(n);
        float lit = 1.0, far = 0.02;
        for (int k = 0; k < 48; k++) { float h = julia(p + 0.003 * n + far * sun, other); lit = min(lit, 14.0 * h / far); far += clamp(h, 0.008, 0.12); }
        vec3 hue = 0.5 + 0.5 * cos(vec3(0.2, 1.1, 2.1) + 4.2 * trap);
        float edge = pow(1.0 - max(dot(n, -ray), 0.0), 3.0), hollow = clamp(0.35 + 3.0 * julia(p + 0.12 * n, other) / 0.36, 0.0, 1.0);
        vec3 light = vec3(1.5, 1.3, 1.05) * clamp(lit, 0.0, 1.0) * max(dot(n, sun), 0.0) + vec3(0.25, 0.34, 0.5) * (0.55 + 0.45 * n.y) * hollow;
        float shine = pow(max(dot(reflect(ray, n), sun), 0.0), 36.0) * clamp(lit, 0.0, 1.0);
        seen = mix(vec3(0.78, 0.7, 0.62), hue, 0.62) * light + 0.55 * shine + 0.25 * edge * vec3(0.6, 0.75, 1.0) * hollow;
    }
    color = vec4(pow(clamp(seen, 0.0, 1.0), vec3(0.4545)), 1.0);
}
