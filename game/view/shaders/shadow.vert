// Casters of shadows, slightly thickened. PARTS: a mesh of several parts, each with its own pose.
uniform mat4 p3d_ModelViewProjectionMatrix;
uniform vec4 half_texel;         // m, by which casters are thickened: one thinner than a texel would cast a dashed line
in vec4 p3d_Vertex;
in vec3 p3d_Normal;
#ifdef PARTS
in vec4 look;                    // third component: number of the part
uniform mat4 part_pose[PARTS];   // in the world
uniform mat4 p3d_ViewProjectionMatrix;
#endif
void main() {
    vec4 vertex = vec4(p3d_Vertex.xyz + p3d_Normal * half_texel.x, 1.0);
#ifdef PARTS
    gl_Position = p3d_ViewProjectionMatrix * (part_pose[int(look.z + 0.5)] * vertex);
#else
    gl_Position = p3d_ModelViewProjectionMatrix * vertex;
#endif
}
