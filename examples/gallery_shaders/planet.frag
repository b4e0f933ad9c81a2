// A planet with clouds and a ring, before stars: noise of several octaves on a sphere.
float hash(vec3 p) { p = fract(p * 0.3183099 + 0.1); p *= 17.0; return fract(p.x * p.y * p.z * (p.x + p.y + p.z)); }

float noise(vec3 x) {
    vec3 i = floor(x), f = fract(x);
    f = f * f * (3.0 - 2.0 * f);
    vec4 low = vec4(hash(i), hash(i + vec3(1, 0, 0)), hash(i + vec3(0, 1, 0)), hash(i + vec3(1, 1, 0)));
    vec4 high = vec4(hash(i + vec3(0, 0, 1)), hash(i + vec3(1, 0, 1)), hash(i + vec3(0, 1, 1)), hash(i + vec3(1, 1, 1)));
    vec4 z = mix(low, high, f.z);
    vec2 y = mix(z.xy, z.zw, f.y);
    return mix(y.x, y.y, f.x);
}

float octaves(vec3 p) {
    float sum = 0.0, part = 0.5;
    for (int k = 0; k < 7; k++) { sum += part * noise(p); p = 2.03 * p.yzx + 1.7; part *= 0.5; }
    return sum;
}

void mainImage(out vec4 color, in vec2 pixel) {
    vec2 at = (2.0 * pixel - iResolution.xy) / iResolution.y;
    vec3 eye = vec3(0, 0.85, 3.4), ahead = normalize(-eye), side = vec3(1, 0, 0), ray = normalize(1.55 * ahead + at.x * side + at.y * cross(side, ahead));
    vec3 sun = normalize(vec3(-0.75, 0.35, 0.62));
    float b = dot(eye, ray), miss = dot(eye, eye) - b * b, stars = pow(hash(floor(190.0 * ray) + 7.0), 220.0);
    vec3 seen = vec3(0.003, 0.004, 0.010) + stars * vec3(0.9, 0.95, 1.0) + 0.06 * pow(octaves(3.0 * ray + 4.0), 3.0) * vec3(0.5, 0.3, 0.9);
    seen += vec3(0.25, 0.45, 1.0) * 0.55 * exp(-9.0 * max(sqrt(miss) - 1.0, 0.0)) * max(0.25 + dot(normalize(eye - b * ray), sun), 0.0);
    float front = 1e9;
    if (miss < 1.0) {
        front = -b - sqrt(1.0 - miss);
        vec3 n = eye + front * ray, turned = vec3(cos(0.3 * iTime) * n.x + sin(0.3 * iTime) * n.z, n.y, cos(0.3 * iTime) * n.z - sin(0.3 * iTime) * n.x);
        float land = octaves(2.1 * turned + 11.0), height = smoothstep(0.50, 0.68, land), clouds = smoothstep(0.50, 0.72, octaves(3.2 * turned + vec3(0.0, 0.15 * iTime, 3.0)));
        vec3 sea = mix(vec3(0.01, 0.05, 0.16), vec3(0.03, 0.22, 0.32), smoothstep(0.38, 0.50, land));
        vec3 ground = mix(mix(vec3(0.10, 0.26, 0.08), vec3(0.42, 0.33, 0.18), height), vec3(0.92), smoothstep(0.68, 0.92, abs(n.y) + 0.25 * height));
        vec3 base = land > 0.5 ? ground : sea;
        float day = max(dot(n, sun), 0.0), shine = land > 0.5 ? 0.0 : pow(max(dot(reflect(ray, n), sun), 0.0), 40.0);
        float shadow = smoothstep(0.0, 0.05, abs(length((n - sun * n.y / sun.y).xz) - 1.65) - 0.32);
        float lit = sun.y * n.y < 0.0 ? mix(0.45, 1.0, shadow) : 1.0;
        seen = mix(base, vec3(0.95), 0.85 * clouds) * (1.6 * day * lit + 0.015) + 0.7 * shine * (1.0 - clouds);
        seen += vec3(0.3, 0.55, 1.0) * pow(1.0 + dot(ray, n), 3.0) * (0.9 * day + 0.04);
    }
    float reach = -eye.y / ray.y;
    vec3 place = eye + reach * ray;
    float radius = length(place.xz);
    if (reach > 0.0 && reach < front && radius > 1.33 && radius < 1.97) {
        float bands = (0.35 + 0.65 * noise(vec3(60.0 * radius))) * smoothstep(1.33, 1.38, radius) * smoothstep(1.97, 1.90, radius) * (1.0 - 0.9 * smoothstep(0.02, 0.0, abs(radius - 1.72)));
        float along = dot(place, sun), dark = along < 0.0 && length(place - along * sun) < 1.0 ? 0.06 : 1.0;
        seen = mix(seen, vec3(0.86, 0.76, 0.62) * dark, 0.8 * bands);
    }
    color = vec4(pow(clamp(seen, 0.0, 1.0), vec3(0.4545)), 1.0);
}
