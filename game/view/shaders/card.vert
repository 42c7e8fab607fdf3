// A card that covers the whole render target, for full-screen passes (view/light/screen_pass.py).
in vec4 p3d_Vertex;
out vec2 uv;
void main() {
    uv = p3d_Vertex.xz * 0.5 + 0.5;
    gl_Position = vec4(p3d_Vertex.x, p3d_Vertex.z, 0.0, 1.0);
}
