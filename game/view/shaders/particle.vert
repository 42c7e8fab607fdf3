// Moves particles after their birth: position, size, fading and light follow from their age, without Python. Smoke is lit
// per vertex, and without a normal, because it scatters to all sides.
uniform mat4 p3d_ViewProjectionMatrix;
uniform vec4 effect_time[1];     // now, and the wind in m/s
uniform mat4 vehicle_frame[OWNERS];
uniform vec4 vehicle_box[OWNERS];
in vec4 p3d_Vertex;              // where it began
in vec4 velocity;                // m/s, and the height of the ground there
in vec4 age;                     // birth, life, size at birth, growth
in vec4 motion;                  // drag 1/s, acceleration upwards m/s2, kind (0 smoke, 1 grain, 2 spark), seed
in vec4 look;                    // rgb, alpha
in vec3 p3d_Normal;              // slope of the ground there along x and y; index of the vehicle in whose box it fades, or -1
out vec2 corner;
out vec3 dim;                    // display colour; of smoke, its darker parts
out vec3 bright;                 // display colour of the lighter parts of smoke
out vec4 local_position;         // in the frame of its vehicle, and height above the ground
out float alpha;
flat out vec3 feature;           // kind, seed, age 0..1
flat out vec4 box;               // half width, half length and top of the vehicle, 1 if there is one
const float PIXEL = 0.0009;      // half a pixel of a frame 600 wide (chase camera), m per m of distance: the least of a spark
const float AROUND = 0.25 / 0.06; // 0.25 of the light of a lamp is scattered; without a normal, lamp_light gives 0.06 of it
const vec2 NEAR = vec2(0.3, 1.5);   // m from the eye between which smoke fades, instead of being cut off
void main() {
    float t = effect_time[0].x - age.x, share = t / max(age.y, 1e-3);
    corner = vec2(gl_VertexID % 4 == 1 || gl_VertexID % 4 == 2 ? 1.0 : -1.0, gl_VertexID % 4 > 1 ? 1.0 : -1.0);
    dim = bright = vec3(0.0);
    local_position = box = vec4(0.0);
    feature = vec3(motion.zw, share);
    alpha = 0.0;
    gl_Position = vec4(0.0, 0.0, -2.0, 1.0);
    if (!(share >= 0.0 && share < 1.0 && look.a > 0.0)) return;

    float k = max(motion.x, 1e-3), slowed = (1.0 - exp(-k * t)) / k;
    vec3 wind = effect_time[0].yzw;  // the air slows a particle to its own speed
    vec3 p = p3d_Vertex.xyz + velocity.xyz * slowed + wind * (t - slowed) + vec3(0.0, 0.0, 0.5 * motion.y * t * t);
    bool smoke = motion.z < 0.5;
    if (!smoke) p.z = max(p.z, velocity.w + dot(p.xy - p3d_Vertex.xy, p3d_Normal.xy) + 0.01);
    float size = age.z + age.w * (1.0 - exp(-1.8 * t));
    vec3 right = p3d_ViewMatrixInverse[0].xyz, up = p3d_ViewMatrixInverse[1].xyz, eye = eye_position();
    float turn = motion.w * 6.2832 + (motion.w - 0.5) * t * 1.2, c = cos(turn), s = sin(turn);
    vec3 a = right * c + up * s, b = up * c - right * s;
    alpha = look.a * (smoke ? min(1.0, t * 9.0) * (1.0 - share) * (1.0 - share) : smoothstep(1.0, 0.8, share));
    if (motion.z > 1.5) {  // a spark is as long as its path of a twentieth of a second, and at least as wide as a pixel
        float thin = min(1.0, size / (PIXEL * distance(p, eye)));
        size /= thin;
        alpha *= thin;
        vec3 speed = wind + (velocity.xyz - wind) * exp(-k * t) + vec3(0.0, 0.0, motion.y * t);
        b = speed * (0.025 / max(size, 1e-4));
        a = normalize(cross(speed, eye - p) + vec3(1e-6));
    }
    vec3 position = p + (a * corner.x + b * corner.y) * size;
    gl_Position = p3d_ViewProjectionMatrix * vec4(position, 1.0);
    if (motion.z > 1.5) {  // nearly white at first, and red and dark as it cools
        dim = film(pow(look.rgb, vec3(1.0 + 1.5 * share)) * (6.0 * (1.0 - share)));
        return;
    }
    vec3 towards = normalize(position - eye);
    vec4 light = texture(terrain_light, (position.xy - terrain_rect.xy) * terrain_rect.zw);
    vec3 sun = sun_colour * (sun_visibility(position, vec3(0.0)) * light.r);
    vec3 sky = sky_ambient(smoke ? normalize(vec3(-towards.xy * 0.4, 0.75)) : vec3(0.0, 0.0, 1.0));
    vec3 lamps = lamp_light(position, vec3(0.0)) * AROUND;
    if (!smoke) {
        dim = film(haze(look.rgb * (sky + lamps + sun * 0.22), position));
        return;
    }
    sun *= 0.31831 * (0.42 + 0.38 * pow(max(dot(towards, sun_direction), 0.0), 5.0));  // more of it forwards
    sky = sky * 1.1 + lamps;
    dim = film(haze(look.rgb * (sky + sun * 0.7), position));
    bright = film(haze(look.rgb * (sky + sun * 1.2), position));
    local_position.w = position.z - velocity.w - dot(position.xy - p3d_Vertex.xy, p3d_Normal.xy);
    int owner = int(p3d_Normal.z + 0.5);
    if (p3d_Normal.z >= 0.0) {
        local_position.xyz = (vehicle_frame[owner] * vec4(position, 1.0)).xyz;
        box = vehicle_box[owner];
    }
    alpha *= smoothstep(NEAR.x, NEAR.y, distance(p, eye));
}
