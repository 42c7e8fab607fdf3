// Positions and normals of the ground for ground_high.frag and ground_low.frag.
uniform mat4 p3d_ModelViewProjectionMatrix;
uniform mat4 p3d_ModelMatrix;
in vec4 p3d_Vertex;
in vec3 p3d_Normal;
out vec3 position;
out vec3 normal;
void main() {
    position = (p3d_ModelMatrix * p3d_Vertex).xyz;
    normal = p3d_Normal;
    gl_Position = p3d_ModelViewProjectionMatrix * p3d_Vertex;
}
