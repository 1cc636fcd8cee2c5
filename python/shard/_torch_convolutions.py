# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What torch-mlir lacks of convolutions: gradients of transposed ones and of those with groups,
some transposed ones, and lists of one number for all dimensions.
"""

from collections.abc import Sequence
from typing import Any


def convolution_decompositions() -> dict[Any, Any]:
    import torch

    aten = torch.ops.aten
    return {
        aten.convolution.default: _convolution,
        aten.convolution_backward.default: _convolution_backward,
    }


def _of_each(dims: int, *lists: Sequence[int]) -> list[Sequence[int]]:
    """`lists` with a number for each of `dims` dimensions; PyTorch may write one for all of them,
    such as the padding of `padding="valid"`.
    """
    return [[*values] * dims if len(values) == 1 else values for values in lists]


def _is_cut(weight: Any, padding: Sequence[int], dilation: Sequence[int]) -> bool:
    """Whether there is more padding than the kernel reaches."""
    sizes = zip(weight.shape[2:], padding, dilation, strict=True)
    return any(pad > apart * (size - 1) for size, pad, apart in sizes)


def _convolution(
    x: Any,
    weight: Any,
    bias: Any,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    transposed: bool,
    output_padding: Sequence[int],
    groups: int,
) -> Any:
    """A transposed convolution as a plain one of `x` between zeros, where torch-mlir lacks it: of
    each channel alone, and with more padding than the kernel reaches.
    """
    import torch

    given = (stride, padding, dilation, output_padding)
    stride, padding, dilation, output_padding = how = _of_each(x.dim() - 2, *given)
    if any(len(values) != len(wrote) for values, wrote in zip(how, given, strict=True)):
        return torch.ops.aten.convolution(x, weight, bias, *how[:3], transposed, how[3], groups)
    is_cut = _is_cut(weight, padding, dilation)
    is_by_channel = groups > 1 and groups == x.shape[1] and weight.shape[1] == 1
    if not transposed or not (is_cut or is_by_channel):
        return NotImplemented
    widths: list[int] = []
    numbers = zip(weight.shape[2:], *how, strict=True)
    for dim, (size, step, pad, apart, more) in enumerate(numbers, 2):
        if step > 1:
            # Each element with zeros behind it; those behind the last one go again.
            x = x.unsqueeze(dim + 1)
            behind = [0, 0] * (x.dim() - dim - 2) + [0, step - 1]
            x = torch.constant_pad_nd(x, behind).flatten(dim, dim + 1)
            x = x.narrow(dim, 0, x.shape[dim] - step + 1)
        beside = apart * (size - 1) - pad
        widths = [beside, beside + more, *widths]
    x = torch.constant_pad_nd(x, widths)
    none, ones = [0] * len(widths[::2]), [1] * len(widths[::2])
    weight = weight.flip(list(range(2, weight.dim())))
    inner, outer = weight.shape[0] // groups, weight.shape[1]
    weight = weight.unflatten(0, (groups, inner)).transpose(1, 2)
    weight = weight.reshape(groups * outer, inner, *weight.shape[3:])
    return torch.ops.aten.convolution(x, weight, bias, ones, none, dilation, False, none, groups)


def _convolution_backward(
    grad: Any,
    x: Any,
    weight: Any,
    bias_sizes: Any,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    transposed: bool,
    output_padding: Sequence[int],
    groups: int,
    mask: Sequence[bool],
) -> Any:
    import torch

    aten = torch.ops.aten
    given = (stride, padding, dilation, output_padding)
    stride, padding, dilation, output_padding = full = _of_each(x.dim() - 2, *given)
    if not transposed and groups == 1 and not _is_cut(weight, padding, dilation):
        if all(len(values) == len(wrote) for values, wrote in zip(full, given, strict=True)):
            return NotImplemented
        rest = (*full[:3], transposed, full[3], groups, mask)
        return aten.convolution_backward(grad, x, weight, bias_sizes, *rest)
    none = [0] * len(padding)
    how = (stride, padding, dilation)
    if transposed:
        # The plain convolution that it transposes goes from the gradient to `x`.
        seen, pads = _seen(grad, x, weight, *how)
        back_how = (stride, pads, dilation)
        of_x = aten.convolution(seen, weight, None, *back_how, False, none, groups)
        only_weight = [False, True, False]
        back = aten.convolution_backward(
            x, seen, weight, None, *back_how, False, none, groups, only_weight
        )
        of_weight = back[1]
    else:
        sizes = zip(x.shape[2:], grad.shape[2:], weight.shape[2:], *how, strict=True)
        left = [n - ((m - 1) * s - 2 * p + d * (k - 1) + 1) for n, m, k, s, p, d in sizes]
        of_x = aten.convolution(grad, weight, None, *how, True, left, groups)
        of_weight = _of_weight(grad, x, weight, how, groups)
    of_bias = grad.sum([d for d in range(grad.dim()) if d != 1])
    return tuple(
        value if wanted else None
        for value, wanted in zip((of_x, of_weight, of_bias), mask, strict=True)
    )


def _seen(
    grad: Any,
    x: Any,
    weight: Any,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
) -> tuple[Any, Sequence[int]]:
    """What the windows see of the gradient of a transposed convolution of `x`, and its padding.

    Where the output has more elements behind than a stride, the gradient has more windows than `x`
    has elements: it is cut then.
    """
    import torch

    extents = [
        (n - 1) * s + d * (k - 1) + 1
        for n, k, s, d in zip(x.shape[2:], weight.shape[2:], stride, dilation, strict=True)
    ]
    sizes = zip(grad.shape[2:], extents, stride, padding, strict=True)
    if all(size + 2 * p - extent < s for size, extent, s, p in sizes):
        return grad, padding
    widths = [n for p in reversed(padding) for n in (p, p)]
    seen = torch.constant_pad_nd(grad, widths)
    for dim, extent in enumerate(extents, 2):
        seen = seen.narrow(dim, 0, extent)
    return seen, [0] * len(extents)


def _of_weight(grad: Any, x: Any, weight: Any, how: Sequence[Sequence[int]], groups: int) -> Any:
    """A convolution of `x` with `grad` that sums over the batch, for each pair of channels."""
    import torch

    stride, padding, dilation = how
    batch, inner = x.shape[0], x.shape[1] // groups
    order = list(range(3, x.dim() + 1))
    by_group = x.reshape(batch, groups, inner, *x.shape[2:]).permute(2, 1, 0, *order)
    images = by_group.reshape(inner, groups * batch, *x.shape[2:])
    kernel = grad.transpose(0, 1).contiguous()
    none = [0] * len(padding)
    result = torch.ops.aten.convolution(
        images, kernel, None, dilation, padding, stride, False, none, groups
    )
    for d, size in enumerate(weight.shape[2:]):
        # Where strides leave a rest, there are more places than the weight has.
        result = result.narrow(d + 2, 0, size)
    return result.transpose(0, 1)
