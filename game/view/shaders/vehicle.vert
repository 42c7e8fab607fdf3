uniform mat4 p3d_ModelViewProjectionMatrix;
uniform mat4 p3d_ModelMatrix;
in vec4 p3d_Vertex;
in vec3 p3d_Normal;
in vec4 look;                    // material number, ambient occlusion, free, free
out vec3 position;
out vec3 normal;
flat out int material;
out float openness;
void main() {
    position = (p3d_ModelMatrix * p3d_Vertex).xyz;
    normal = mat3(p3d_ModelMatrix) * p3d_Normal;
    material = int(look.x + 0.5);
    openness = look.y;
    gl_Position = p3d_ModelViewProjectionMatrix * p3d_Vertex;
}
