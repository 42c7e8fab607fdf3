// A line of the debug drawing as a band of constant width on the screen; each corner knows both ends of the line.
uniform mat4 p3d_ModelViewProjectionMatrix;
uniform vec4 debug_size;         // width and height of the frame, half width of a line, all in pixels; unused
in vec4 p3d_Vertex;
in vec4 velocity;                // the other end; side of the line -1 or 1, doubled where the line ends
in vec4 look;                    // display rgb, opacity
out float across;
out vec4 colour;
const float NEAR = 0.05;         // m ahead of the eye: ends nearer than this are moved along the line to this distance
void main() {
    vec4 here = p3d_ModelViewProjectionMatrix * p3d_Vertex;
    vec4 there = p3d_ModelViewProjectionMatrix * vec4(velocity.xyz, 1.0);
    across = sign(velocity.w);
    colour = look;
    if (here.w < NEAR && there.w < NEAR) {
        gl_Position = vec4(0.0, 0.0, 2.0, 1.0);
        return;
    }
    if (here.w < NEAR) here = mix(there, here, (there.w - NEAR) / (there.w - here.w));
    if (there.w < NEAR) there = mix(here, there, (here.w - NEAR) / (here.w - there.w));
    vec2 along = (there.xy / there.w - here.xy / here.w) * debug_size.xy;
    along = dot(along, along) > 1e-8 ? normalize(along) : vec2(1.0, 0.0);
    float side = abs(velocity.w) > 1.5 ? -across : across;
    here.xy += vec2(-along.y, along.x) * side * debug_size.z * 2.0 / debug_size.xy * here.w;
    gl_Position = here;
}
