#define IN_VERTEX                // before common.glsl: there is no pixel whose position could vary the taps of a shadow
