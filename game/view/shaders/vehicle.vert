// Vehicles, for vehicle.frag, mirror.frag and ghost.frag. TRACK: links of a track. PARTS: several parts in one mesh.
uniform mat4 p3d_ModelViewProjectionMatrix;
uniform mat4 p3d_ModelMatrix;
in vec4 p3d_Vertex;
in vec3 p3d_Normal;
in vec4 look;                    // material number, share of ambient light, number of the track's link or of the part, `seam`
#ifdef TRACK
uniform vec4 links[TRACK];       // y, z, cosine and sine of the slope of each link
#endif
#ifdef PARTS
uniform mat4 part_pose[PARTS];   // in the world
uniform mat4 p3d_ViewProjectionMatrix;
#endif
out vec3 position;
out vec3 normal;
flat out int material;
out float openness;              // share of the sky's light that reaches the point
out float side;                  // of the vehicle, negative left
out float seam;                  // as in vehicle.frag; the line of a panel gap is at 0.5
void main() {
    vec4 vertex = p3d_Vertex;
    vec3 facing = p3d_Normal;
#ifdef TRACK
    vec4 link = links[int(look.z + 0.5)];
    vertex.yz = link.xy + vec2(link.z * vertex.y - link.w * vertex.z, link.w * vertex.y + link.z * vertex.z);
    facing.yz = vec2(link.z * facing.y - link.w * facing.z, link.w * facing.y + link.z * facing.z);
#endif
#ifdef PARTS
    mat4 pose = part_pose[int(look.z + 0.5)];
#else
    mat4 pose = p3d_ModelMatrix;
#endif
    position = (pose * vertex).xyz;
    normal = mat3(pose) * facing;
    material = int(look.x + 0.5);
    openness = look.y;
    side = p3d_Vertex.x;
    seam = look.w;
#ifdef PARTS
    gl_Position = p3d_ViewProjectionMatrix * vec4(position, 1.0);
#else
    gl_Position = p3d_ModelViewProjectionMatrix * vertex;
#endif
}
