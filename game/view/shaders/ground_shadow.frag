// Darkness on the ground below a vehicle, see game/view/light/ground_shadow.py.
uniform vec4 strength;           // of the rectangle outside, inside the projected shadow; of that shadow; its edge, m
uniform vec4 edges[EDGES];       // tangents of the projected shadow: normal x, y, distance, m
uniform sampler2D fall_off;      // darkness over the rectangle
in vec4 plan;                    // as `look` in ground_shadow.vert
out vec4 colour_out;
void main() {
    float outside = -1e3;
    for (int k = 0; k < EDGES; ++k) outside = max(outside, dot(edges[k].xy, plan.zw) - edges[k].z);
    float shadow = strength.w > 0.0 ? 1.0 - smoothstep(-0.5 * strength.w, 0.5 * strength.w, outside) : step(outside, 0.0);
    vec2 beyond = abs(plan.xy - 0.5);
    float rectangle = max(beyond.x, beyond.y) < 0.5 ? texture(fall_off, plan.xy).r : 0.0;
    float below = rectangle * mix(strength.x, strength.y, shadow);
    colour_out = vec4(0.0, 0.0, 0.0, max(below, shadow * strength.z));
}
