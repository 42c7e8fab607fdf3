// Quads of tire marks, for mark.frag.
uniform mat4 p3d_ModelViewProjectionMatrix;
in vec4 p3d_Vertex;
in vec4 look;                    // factor on the ground's colour (3), strength
in vec4 age;                     // across -1..1, m along, unused, unused
out vec3 position;
out vec4 tint;
out vec2 line_position;
void main() {
    position = p3d_Vertex.xyz;
    tint = look;
    line_position = age.xy;
    gl_Position = p3d_ModelViewProjectionMatrix * p3d_Vertex;
}
