// The light above KNEE, averaged over sixteen pixels of the frame by four bilinear reads.
uniform sampler2D scene_picture;
uniform vec4 picture_step[1];    // 1 / width, 1 / height of the frame in pixels
in vec2 uv;
out vec4 colour_out;
const float KNEE = 0.80;
vec3 above(vec2 at) {
    vec3 c = texture(scene_picture, at).rgb;
    float most = max(c.r, max(c.g, c.b));
    float share = max(most - KNEE, 0.0) / (1.0 - KNEE);
    return c * share * share;
}
void main() {
    vec2 s = picture_step[0].xy;
    colour_out = vec4(0.25 * (above(uv + s * vec2(-1, -1)) + above(uv + s * vec2(1, -1)) + above(uv + s * vec2(-1, 1)) + above(uv + s)), 1.0);
}
