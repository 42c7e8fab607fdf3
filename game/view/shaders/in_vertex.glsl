#define IN_VERTEX                // before common.glsl: there is no pixel whose place could vary the taps of a shadow
