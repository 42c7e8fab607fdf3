uniform mat4 p3d_ModelViewProjectionMatrix;
uniform vec4 half_texel;         // m; what is thinner than a texel would cast a dashed line
in vec4 p3d_Vertex;
in vec3 p3d_Normal;
void main() { gl_Position = p3d_ModelViewProjectionMatrix * vec4(p3d_Vertex.xyz + p3d_Normal * half_texel.x, 1.0); }
