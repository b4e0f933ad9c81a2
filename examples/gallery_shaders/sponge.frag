// Menger's sponge: distance to a cube with square holes at every third of its size, walked along each ray.
float sponge(vec3 p) {
    vec3 a = abs(p) - 1.0;
    float d = max(a.x, max(a.y, a.z)), s = 1.0;
    for (int k = 0; k < 5; k++) {
        vec3 cell = mod(p * s, 2.0) - 1.0;
        s *= 3.0;
        vec3 r = abs(1.0 - 3.0 * abs(cell));
        d = max(d, (min(max(r.x, r.y), min(max(r.y, r.z), max(r.z, r.x))) - 1.0) / s);
    }
    return d;
}

vec3 shade(vec2 at) {
    float angle = 0.7 + 0.3 * iTime;
    vec3 eye = 3.6 * vec3(cos(angle), 0.62, sin(angle)), ahead = normalize(-eye), side = normalize(cross(ahead, vec3(0, 1, 0)));
    vec3 ray = normalize(1.9 * ahead + at.x * side + at.y * cross(side, ahead)), sun = normalize(vec3(0.3, 0.9, 0.75));
    float t = 1.0, d = 1.0;
    int steps = 0;
    for (; steps < 96 && d > 0.0006 && t < 8.0; steps++) { d = sponge(eye + t * ray); t += d; }
    vec3 sky = mix(vec3(0.98, 0.80, 0.62), vec3(0.16, 0.22, 0.42), smoothstep(-0.7, 0.8, at.y));
    if (t >= 8.0) return sky;
    vec3 p = eye + t * ray;
    vec2 e = vec2(0.0008, 0);
    vec3 n = normalize(vec3(sponge(p + e.xyy) - sponge(p - e.xyy), sponge(p + e.yxy) - sponge(p - e.yxy), sponge(p + e.yyx) - sponge(p - e.yyx)));
    float lit = 1.0, far = 0.01;
    for (int k = 0; k < 40; k++) { float h = sponge(p + 0.002 * n + far * sun); lit = min(lit, 10.0 * h / far); far += clamp(h, 0.01, 0.1); }
    float near = 1.0 - float(steps) / 96.0;
    vec3 hue = 0.55 + 0.45 * cos(vec3(0.0, 0.7, 1.3) + 1.6 * length(p) + 0.4 * p.y);
    vec3 light = vec3(1.25, 1.05, 0.85) * clamp(lit, 0.0, 1.0) * max(dot(n, sun), 0.0) + vec3(0.25, 0.32, 0.45) * (0.6 + 0.4 * n.y) * near;
    return hue * light;
}

void mainImage(out vec4 color, in vec2 pixel) {
    color = vec4(sqrt(clamp(shade((2.0 * pixel - iResolution.xy) / iResolution.y), 0.0, 1.0)), 1.0);
}
