// Puts every vertex outside the frame: the driver uploads the mesh, but nothing of it is visible.
in vec4 vertex;

void main()
{
    gl_Position = vec4(vertex.xy * 1e-9 + 2.0, 2.0, 1.0);
}
