// Buildings and fences, for scenery.frag.
uniform mat4 p3d_ModelViewProjectionMatrix;
uniform mat4 p3d_ModelMatrix;
in vec4 p3d_Vertex;
in vec3 p3d_Normal;
in vec4 look;                    // albedo, finish
in vec2 p3d_MultiTexCoord0;
out vec3 position;
out vec3 normal;
out vec2 along;                  // m along the face and above its foot
flat out vec4 tint;
void main() {
    position = (p3d_ModelMatrix * p3d_Vertex).xyz;
    normal = mat3(p3d_ModelMatrix) * p3d_Normal;
    along = p3d_MultiTexCoord0;
    tint = look;
    gl_Position = p3d_ModelViewProjectionMatrix * p3d_Vertex;
}
