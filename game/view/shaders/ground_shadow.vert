// Mesh of the ground below a vehicle, for ground_shadow.frag.
uniform mat4 p3d_ModelViewProjectionMatrix;
in vec4 p3d_Vertex;
in vec4 look;                    // position in the rectangle 0..1, metres from the car
out vec4 plan;
void main() {
    plan = look;
    gl_Position = p3d_ModelViewProjectionMatrix * p3d_Vertex;
}
