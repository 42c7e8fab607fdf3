// Every vertex beyond the picture's border: the mesh is read by the driver, and nothing of it is seen.
in vec4 vertex;

void main()
{
    gl_Position = vec4(vertex.xy * 1e-9 + 2.0, 2.0, 1.0);
}
