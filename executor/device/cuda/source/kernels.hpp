// The texts under kernels/, embedded by the build, in the order in which they build on one another.
#pragma once

namespace ein::executor::cuda::kernels {

extern char const types[], math[], complex[], aggregate[], walk[], fold[], position[], contract[], transpose[], move[];
inline constexpr char const* parts[] = {types, math,     complex,  aggregate, walk,
                                        fold,  position, contract, transpose, move};

}  // namespace ein::executor::cuda::kernels
