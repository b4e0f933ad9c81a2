// A sea at sunset: waves are sums of sines whose crests are sharpened, and mirror the sky.
float waves(vec2 p, int octaves) {
    float height = 0.0, part = 0.5;
    vec2 way = vec2(0.8, 0.6);
    for (int k = 0; k < octaves; k++) {
        float phase = dot(p, way) + 1.1 * iTime * sqrt(1.0 / part) * 0.4;
        height += part * (1.0 - abs(sin(phase + 0.6 * sin(p.x * 0.7 - p.y * 0.4 + float(k)))));
        p = 1.9 * mat2(0.8, 0.6, -0.6, 0.8) * p + 3.1;
        part *= 0.46;
    }
    return height;
}

vec3 sky(vec3 ray, vec3 sun) {
    float up = max(ray.y, 0.0), near = max(dot(ray, sun), 0.0);
    vec3 seen = mix(vec3(1.0, 0.55, 0.28), vec3(0.16, 0.22, 0.45), 1.0 - exp(-5.0 * up));
    seen = mix(seen, vec3(0.35, 0.16, 0.32), 0.5 * exp(-9.0 * up) * (1.0 - near));
    return seen + vec3(1.0, 0.62, 0.30) * (0.35 * pow(near, 8.0) + 0.8 * pow(near, 80.0)) + vec3(1.0, 0.85, 0.6) * 3.0 * smoothstep(0.9985, 0.9992, near);
}

void mainImage(out vec4 color, in vec2 pixel) {
    vec2 at = (2.0 * pixel - iResolution.xy) / iResolution.y;
    vec3 eye = vec3(0, 2.2, 0), ray = normalize(vec3(at.x, at.y - 0.05, -1.7)), sun = normalize(vec3(0.12, 0.13, -1.0));
    vec3 seen = sky(ray, sun);
    if (ray.y < -0.005) {
        float t = -eye.y / ray.y;
        for (int k = 0; k < 14; k++) t += 0.7 * (eye.y + t * ray.y - 0.9 * waves(0.55 * (eye + t * ray).xz, 5) + 0.45) / max(-ray.y, 0.12);
        vec3 p = eye + t * ray;
        float e = 0.004 * (1.0 + 0.25 * t);
        vec2 q = 0.55 * p.xz;
        float h = waves(q, 8), soft = 1.0 / (1.0 + 0.02 * t);
        vec3 n = normalize(vec3(-0.9 * soft * (waves(q + vec2(e, 0), 8) - h) / e * 0.55, 1.0, -0.9 * soft * (waves(q + vec2(0, e), 8) - h) / e * 0.55));
        float mirror = 0.03 + 0.97 * pow(1.0 - max(dot(n, -ray), 0.0), 5.0);
        vec3 bounce = reflect(ray, n);
        bounce.y = abs(bounce.y);
        vec3 deep = mix(vec3(0.01, 0.07, 0.10), vec3(0.05, 0.28, 0.27), clamp(h - 0.35, 0.0, 1.0));
        vec3 water = mix(deep, sky(bounce, sun), mirror) + vec3(1.0, 0.7, 0.4) * 0.9 * pow(max(dot(bounce, sun), 0.0), 120.0);
        seen = mix(water, seen, smoothstep(40.0, 260.0, t));
    }
    color = vec4(pow(clamp(seen, 0.0, 1.0), vec3(0.4545)) * (1.0 - 0.12 * dot(at, at) * 0.5), 1.0);
}
