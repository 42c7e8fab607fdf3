// Position of a card's corner in leaves.png; `look` as in mesh.vert. z is 1 on a card, 0 on bark.
const vec2 CORNER[9] = vec2[9](vec2(0.0), vec2(0.0, 0.0), vec2(0.5, 0.0), vec2(0.5, 1.0), vec2(0.0, 1.0),
                               vec2(0.5, 0.5), vec2(0.77, 0.0), vec2(1.0, 0.5), vec2(0.77, 1.0));
vec3 on_card(vec4 look) {
    int corner = int((-3.0 - look.w) * 10.0 + 0.5);
    return vec3(CORNER[corner], min(corner, 1));
}
