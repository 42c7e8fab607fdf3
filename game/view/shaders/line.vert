// A flat band on the ground along a path, for line.frag.
uniform mat4 p3d_ModelViewProjectionMatrix;
in vec4 p3d_Vertex;
in vec4 look;                    // across -1..1, share of the length 0..1, unused, unused
out vec2 line_position;
void main() {
    line_position = look.xy;
    gl_Position = p3d_ModelViewProjectionMatrix * p3d_Vertex;
    gl_Position.z -= 0.0004 * gl_Position.w;  // above the ground it lies on
}
