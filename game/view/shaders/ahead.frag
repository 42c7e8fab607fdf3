// Draws nothing visible; see ahead.vert.
out vec4 colour;

void main()
{
    colour = vec4(0.0);
}
