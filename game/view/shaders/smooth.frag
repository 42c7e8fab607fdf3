// Copies the scene's image to the window. EDGES: edges are smoothed along their direction (after Lottes, FXAA, 2009: local
// contrast decides, four taps along the edge). LINES, for an image that will be enlarged: details one pixel wide, such as
// letters on a plate, are left unchanged, because the taps along them would miss them; all else is sharpened a little.
// LENS: bright areas glow, and the corners are darker.
uniform sampler2D scene_picture;
uniform vec4 picture_size[1];    // 1 / width, 1 / height of the image in pixels; the others are unused
in vec2 uv;
out vec4 colour_out;
#ifdef LENS
uniform sampler2D glow_picture;
// Reads a mip level at four points half a texel from the middle, because one read would show its coarse squares.
vec3 glow_of(float level, vec2 size) {
    vec2 s = 0.5 * exp2(level) / size;
    return 0.25 * (textureLod(glow_picture, uv + s * vec2(-1, -1), level).rgb + textureLod(glow_picture, uv + s * vec2(1, -1), level).rgb
                 + textureLod(glow_picture, uv + s * vec2(-1, 1), level).rgb + textureLod(glow_picture, uv + s, level).rgb);
}
vec3 through_lens(vec3 c) {
    vec2 size = vec2(textureSize(glow_picture, 0)), v = uv - 0.5;
    vec3 glow = 0.22 * glow_of(0.7, size) + 0.20 * glow_of(2.2, size) + 0.18 * glow_of(3.6, size);
    c = c + glow * (1.0 - 0.6 * c);
    return c * (1.0 - 0.20 * smoothstep(0.22, 1.1, 1.8 * dot(v, v)));
}
#else
vec3 through_lens(vec3 c) { return c; }
#endif
#ifdef EDGES
#ifdef LINES
const float THIN = 0.004;        // product of the steps of luma to both sides of a line, 0.06 each
const float SHARPER = 0.35;      // share of the local contrast that is added
#else
const float SHARPER = 0.0;
#endif
float luma(vec3 c) { return dot(c, vec3(0.299, 0.587, 0.114)); }
vec3 smoothed() {
    vec2 step = picture_size[0].xy;
    vec3 m = texture(scene_picture, uv).rgb;
    float nw = luma(texture(scene_picture, uv + step * vec2(-1, -1)).rgb), ne = luma(texture(scene_picture, uv + step * vec2(1, -1)).rgb);
    float sw = luma(texture(scene_picture, uv + step * vec2(-1, 1)).rgb), se = luma(texture(scene_picture, uv + step).rgb);
    float here = luma(m), low = min(here, min(min(nw, ne), min(sw, se))), high = max(here, max(max(nw, ne), max(sw, se)));
    if (high - low <= max(0.035, high * 0.10)) return m + (here - 0.25 * (nw + ne + sw + se)) * SHARPER;
#ifdef LINES
    float n = luma(texture(scene_picture, uv - vec2(0, step.y)).rgb), s = luma(texture(scene_picture, uv + vec2(0, step.y)).rgb);
    float w = luma(texture(scene_picture, uv - vec2(step.x, 0)).rgb), e = luma(texture(scene_picture, uv + vec2(step.x, 0)).rgb);
    if (max((here - n) * (here - s), (here - w) * (here - e)) > THIN) return m;
#endif
    vec2 along = vec2((sw + se) - (nw + ne), (nw + sw) - (ne + se));
    along /= min(abs(along.x), abs(along.y)) + max((nw + ne + sw + se) * 0.03, 0.008);
    along = clamp(along, -6.0, 6.0) * step;
    vec3 a = 0.5 * (texture(scene_picture, uv - along / 6.0).rgb + texture(scene_picture, uv + along / 6.0).rgb);
    vec3 b = 0.5 * a + 0.25 * (texture(scene_picture, uv - along * 0.5).rgb + texture(scene_picture, uv + along * 0.5).rgb);
    float far = luma(b);
    return far < low || far > high ? a : b;
}
#else
vec3 smoothed() { return texture(scene_picture, uv).rgb; }
#endif
void main() { colour_out = vec4(clamp(through_lens(smoothed()), 0.0, 1.0), 1.0); }
