#version 330 core
in vec3 normal;
uniform vec3 directions[LIGHTS];
out vec4 color;

void main()
{
    float light = 0.0;
    for (int k = 0; k < LIGHTS; k++)
        light += max(dot(normalize(normal), directions[k]), 0.0);
    color = vec4(vec3(light / float(LIGHTS)), 1.0);
}
