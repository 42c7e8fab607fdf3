// A distant guard rail: a band that is never narrower than a pixel of a small frame; where it is widened, it fades as much.
uniform mat4 p3d_ViewProjectionMatrix;
uniform mat4 p3d_ModelMatrix;
uniform mat4 p3d_ViewMatrixInverse;
in vec4 p3d_Vertex;
in vec3 p3d_Normal;
in vec4 look;                    // tint (3), layer, as in mesh.vert
in vec2 p3d_MultiTexCoord0;      // half its height, m, negative at the lower edge
out vec3 position;
out vec3 normal;
out float share;
flat out vec4 tint;
// FADE: m from the eye where the band appears, is opaque, begins to fade, ends
const float NARROWEST = 0.0024;  // minimum half height / (distance / lens): a pixel in a frame 420 pixels high
void main() {
    position = (p3d_ModelMatrix * p3d_Vertex).xyz;
    float far = distance(position, p3d_ViewMatrixInverse[3].xyz);
    float lens = length(vec3(p3d_ViewProjectionMatrix[0][1], p3d_ViewProjectionMatrix[1][1], p3d_ViewProjectionMatrix[2][1]));
    float half_height = abs(p3d_MultiTexCoord0.x), least = NARROWEST * far / lens;
    float drawn = max(half_height, least) * step(1e-4, half_height) * step(FADE.x, far);
    position.z += sign(p3d_MultiTexCoord0.x) * drawn;
    share = half_height / max(drawn, 1e-4) * smoothstep(FADE.x, FADE.y, far) * (1.0 - smoothstep(FADE.z, FADE.w, far));
    normal = p3d_Normal;
    tint = look;
    gl_Position = p3d_ViewProjectionMatrix * vec4(position, 1.0);
}
