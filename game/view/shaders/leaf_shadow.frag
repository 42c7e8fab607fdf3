// Light comes between the leaves of a card. Where a texel is wider than a leaf, at random: their mean would be none at all.
uniform sampler2D leaf_map;
in vec3 card;
out vec4 unused;
const vec2 COARSEST = vec2(4.0 / 512.0, 4.0 / 256.0);  // four texels of leaves.png
void main() {
    vec2 wide = min(fwidth(card.xy), COARSEST);
    if (card.z > 0.5 && textureGrad(leaf_map, card.xy, vec2(wide.x, 0.0), vec2(0.0, wide.y)).a < 0.5) discard;
    unused = vec4(1.0);
}
