uniform mat4 p3d_ModelViewProjectionMatrix;
uniform mat4 p3d_ModelMatrix;
in vec4 p3d_Vertex;
in vec3 p3d_Normal;
in vec4 look;                    // tint, ground look (0..7) -1 plain paint, -2 stripes, -3 leaves
out vec3 position;
out vec3 normal;
flat out vec4 tint;
void main() {
    position = (p3d_ModelMatrix * p3d_Vertex).xyz;
    normal = mat3(p3d_ModelMatrix) * p3d_Normal;
    tint = look;
    gl_Position = p3d_ModelViewProjectionMatrix * p3d_Vertex;
}
