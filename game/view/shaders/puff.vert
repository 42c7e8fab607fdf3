// Particles that need no Python once they are there: place, size and fading follow from age alone.
uniform mat4 p3d_ViewProjectionMatrix;
uniform mat4 p3d_ViewMatrixInverse;
uniform vec4 effect_time[1];     // now
in vec4 p3d_Vertex;              // where it began
in vec4 velocity;                // m/s, and the height of the ground there
in vec4 age;                     // birth, life, size at birth, growth
in vec4 motion;                  // drag 1/s, acceleration upwards m/s2, kind (0 puff, 1 grain, 2 spark), seed
in vec4 look;                    // rgb, alpha
out vec3 position;
out vec2 corner;
out vec4 tint;
flat out vec4 feature;           // kind, seed, age 0..1, ground height
const float PIXEL = 0.0009;      // half of one of 600 across in the usual lens, m for each m away: fewer would be dashes
void main() {
    float t = effect_time[0].x - age.x, share = t / max(age.y, 1e-3);
    corner = vec2(gl_VertexID % 4 == 1 || gl_VertexID % 4 == 2 ? 1.0 : -1.0, gl_VertexID % 4 > 1 ? 1.0 : -1.0);
    float k = max(motion.x, 1e-3), slowed = (1.0 - exp(-k * t)) / k;
    vec3 p = p3d_Vertex.xyz + velocity.xyz * slowed + vec3(0.0, 0.0, 0.5 * motion.y * t * t);
    bool puff = motion.z < 0.5;
    if (!puff) p.z = max(p.z, velocity.w + 0.01);
    float size = age.z + age.w * (1.0 - exp(-1.8 * t));
    vec3 right = p3d_ViewMatrixInverse[0].xyz, up = p3d_ViewMatrixInverse[1].xyz;
    float turn = motion.w * 6.2832 + (motion.w - 0.5) * t * 1.2, c = cos(turn), s = sin(turn);
    vec3 a = right * c + up * s, b = up * c - right * s;
    float thin = 1.0;
    if (motion.z > 1.5) {  // a spark is as long as its way of a twentieth of a second, and at least as wide as a pixel
        thin = min(1.0, size / (PIXEL * distance(p, p3d_ViewMatrixInverse[3].xyz)));
        size /= thin;
        vec3 speed = velocity.xyz * exp(-k * t) + vec3(0.0, 0.0, motion.y * t);
        b = speed * (0.025 / max(size, 1e-4));
        a = normalize(cross(speed, p3d_ViewMatrixInverse[3].xyz - p) + vec3(1e-6));
    }
    position = p + (a * corner.x + b * corner.y) * size;
    float fade = puff ? min(1.0, t * 9.0) * (1.0 - share) * (1.0 - share) : smoothstep(1.0, 0.8, share);
    tint = vec4(look.rgb, look.a * fade * thin);
    feature = vec4(motion.z, motion.w, share, velocity.w);
    bool alive = share >= 0.0 && share < 1.0 && look.a > 0.0;
    gl_Position = alive ? p3d_ViewProjectionMatrix * vec4(position, 1.0) : vec4(0.0, 0.0, -2.0, 1.0);
}
