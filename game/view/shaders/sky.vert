// The dome of the sky, at the far plane.
uniform mat4 p3d_ModelViewProjectionMatrix;
uniform mat4 p3d_ModelMatrix;
in vec4 p3d_Vertex;
out vec3 direction;
void main() {
    direction = (p3d_ModelMatrix * vec4(p3d_Vertex.xyz, 0.0)).xyz;
    vec4 clip = p3d_ModelViewProjectionMatrix * p3d_Vertex;
    gl_Position = vec4(clip.xy, clip.w * 0.999999, clip.w);
}
