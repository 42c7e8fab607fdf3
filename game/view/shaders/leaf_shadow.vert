// Casts the shadows of leaf cards; leaf_shadow.frag cuts the leaves out.
uniform mat4 p3d_ModelViewProjectionMatrix;
in vec4 p3d_Vertex;
in vec4 look;
out vec3 card;
void main() {
    card = on_card(look);
    gl_Position = p3d_ModelViewProjectionMatrix * p3d_Vertex;
}
