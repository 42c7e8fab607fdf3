// Light passes between the leaves of a card. COARSEST limits the mip level: the mean cover of coarser levels is below
// 0.5, so that the card would cast no shadow at all.
uniform sampler2D leaf_map;
in vec3 card;
out vec4 unused;
const vec2 COARSEST = vec2(4.0 / 512.0, 4.0 / 256.0);  // four texels of leaves.png
void main() {
    vec2 wide = min(fwidth(card.xy), COARSEST);
    if (card.z > 0.5 && textureGrad(leaf_map, card.xy, vec2(wide.x, 0.0), vec2(0.0, wide.y)).a < 0.5) discard;
    unused = vec4(1.0);
}
