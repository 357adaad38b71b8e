// Ray marching: a sphere over rippled water, in single precision, with the sine, cosine, roots, logarithms and exponentials of a GPU.
//
// A thread follows one ray. Each step goes as far as nothing can be nearer: the distance to the sphere, and six tenths of the height above
// the water. What is hit is lit from one side; the water also mirrors the sky and the sphere. Far away everything fades into haze.
#define STEPS 48
#define FAR 24.0f

__device__ float ripples(float x, float z) { return 0.08f * __sinf(3.1f * x + z) + 0.05f * __cosf(4.3f * z - x); }

extern "C" __global__ void raymarch(unsigned char* picture, int width, int height)
{
    int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y;
    if (px >= width) return;

    float across = __fdividef(2.0f * px + 1.0f - width, height), up = 0.3f - __fdividef(2.0f * py + 1.0f, height);
    float rx = across, ry = up + 0.55f, rz = 1.8f;
    float scale = rsqrtf(rx * rx + ry * ry + rz * rz);
    rx *= scale, ry *= scale, rz *= scale;

    float x = 0.0f, y = 1.1f, z = -4.0f, way = 0.0f;
    int hit = 0;
    for (int k = 0; k < STEPS && hit == 0 && way < FAR; ++k) {
        float sy = y - 0.9f;
        float sphere = sqrtf(x * x + sy * sy + z * z) - 1.0f, water = 0.6f * (y - ripples(x, z));
        float step = fminf(sphere, water), near = 0.002f + 0.001f * way;
        hit = step > near ? 0 : sphere < water ? 1 : 2;
        x += step * rx, y += step * ry, z += step * rz, way += step;
    }

    float sky = 0.9f - 0.75f * __saturatef(1.6f * ry), light = sky;
    if (hit) {
        float nx = x, ny = y - 0.9f, nz = z;
        if (hit == 2) {
            // The slope of the ripples.
            float a = __cosf(3.1f * x + z), b = __sinf(4.3f * z - x);
            nx = -0.248f * a - 0.05f * b, ny = 1.0f, nz = -0.08f * a + 0.215f * b;
        }
        float unit = rsqrtf(nx * nx + ny * ny + nz * nz);
        nx *= unit, ny *= unit, nz *= unit;
        float towards = nx * rx + ny * ry + nz * rz;
        float mx = rx - 2.0f * towards * nx, my = ry - 2.0f * towards * ny, mz = rz - 2.0f * towards * nz;
        float lit = __saturatef(-0.57f * nx + 0.66f * ny - 0.49f * nz);
        float glint = exp2f(24.0f * __log2f(__saturatef(-0.57f * mx + 0.66f * my - 0.49f * mz)));
        light = 0.08f + 0.6f * lit + 0.4f * glint;
        if (hit == 2) {
            // The sky in the water, or the sphere where the mirrored ray meets it.
            float along = x * mx + (y - 0.9f) * my + z * mz, apart = x * x + (y - 0.9f) * (y - 0.9f) + z * z;
            float mirrored = along < 0.0f && along * along > apart - 1.0f ? 0.2f : 0.9f - 0.75f * __saturatef(1.6f * my);
            light = 0.04f + 0.1f * lit + 0.85f * mirrored * (0.25f + 0.75f * (1.0f + towards)) + 0.5f * glint;
        }
        light += (sky - light) * (1.0f - __expf(-0.004f * way * way));
    }
    picture[py * width + px] = 255.0f * __saturatef(light);
}
