// Meshes of the world, props, trees (LEAVES) and marker posts (POSTS), for mesh.frag. RISING lets distant objects sink
// into the ground.
uniform mat4 p3d_ModelViewProjectionMatrix;
uniform mat4 p3d_ModelMatrix;
#ifdef POSTS
uniform mat4 p3d_ViewProjectionMatrix;
#endif
in vec4 p3d_Vertex;
in vec3 p3d_Normal;
in vec4 look;                    // tint (3), layer: ground look 0..7, -1 plain paint, -2 stripes, -3 - 0.1 * corner leaves
#ifdef RISING                    // (m from the eye where a tree or post is entirely sunk, where it has risen, m that it rises)
uniform mat4 p3d_ViewMatrixInverse;
#endif
out vec3 position;
out vec3 normal;
#ifdef LEAVES
out vec4 tint;
out vec3 card;                   // position in leaves.png, 1 on a card
#else
flat out vec4 tint;
#endif
void main() {
    vec4 vertex = p3d_Vertex;
#ifdef RISING
    vertex.z -= RISING.z * smoothstep(RISING.y, RISING.x, distance(vertex.xy, p3d_ViewMatrixInverse[3].xy));
#endif
    position = (p3d_ModelMatrix * vertex).xyz;
#ifdef POSTS                     // bent flat under the focus vehicle
    vec3 under = (to_focus_vehicle * vec4(position, 1.0)).xyz;
    vec2 beyond = abs(under.xy) - focus_half_size.xy - vec2(0.12, 0.2);
    position.z -= focus_strength * step(max(beyond.x, beyond.y), 0.0) * clamp(under.z - 0.03, 0.0, 1.2) * step(under.z, 1.2);
#endif
    normal = mat3(p3d_ModelMatrix) * p3d_Normal;
    tint = look;
#ifdef LEAVES
    card = on_card(look);
#endif
#ifdef POSTS
    gl_Position = p3d_ViewProjectionMatrix * vec4(position, 1.0);
#else
    gl_Position = p3d_ModelViewProjectionMatrix * vertex;
#endif
}
