// The baked dome, and the sun's disk where no cloud hides it.
uniform sampler2D sky_picture;   // square root of radiance / picture_range; opacity of clouds
uniform float picture_range;
in vec3 direction;
out vec4 colour_out;
void main() {
    vec3 d = normalize(direction);
    float elevation = asin(clamp(d.z, 0.0, 1.0)) / 1.570796;
    float u = atan(d.x, d.y) / 6.283185;
    // two branches of the azimuth: the one whose derivative is continuous here picks the mip level
    float u2 = fract(u);
    float du = min(fwidth(u), fwidth(u2));
    vec2 uv = vec2(u2, pow(elevation, 1.0 / 1.35));
    vec4 stored = textureGrad(sky_picture, uv, vec2(du, 0.0), vec2(0.0, 1.0 / 1024.0));
    vec3 c = stored.rgb * stored.rgb * picture_range;
    float mu = max(dot(d, sun_direction), 0.0);
    c += (1.0 - stored.a) * (sun_colour / max(sun_colour.r, 1e-3)) * (1.2 * pow(mu, 900.0) + 18.0 * smoothstep(0.99990, 0.99996, mu));
    float low = smoothstep(0.10, 0.0, d.z);
    c = mix(c, haze_light(d), low * 0.6);
    colour_out = vec4(film(c), 1.0);
}
