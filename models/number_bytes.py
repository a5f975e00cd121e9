from flopsheet import Sheet, formula, given, ratio


class NumberBytes(Sheet):
    """Bytes of a weight in formats that training and serving share, with the scales of its block."""

    fp32_bytes = given("Bytes of an fp32 number", "byte/param", default=4, fixed=True, source="ieee-754")
    bf16_bytes = given("Bytes of a bf16 number", "byte/param", default=2, fixed=True, source="bfloat16")
    fp8_bytes = given("Bytes of an 8-bit number", "byte/param", default=1, fixed=True, source="fp8-formats")

    # Numbers in blocks that share a scale
    fp8_block = given(
        "Weights that share an fp32 scale: 128 x 128", default=16384, fixed=True, integer=True, source="deepseek-v3"
    )
    nf4_block = given("4-bit weights that share an 8-bit scale", default=64, fixed=True, integer=True, source="qlora")
    scale_block = given("8-bit scales that share an fp32 scale", default=256, fixed=True, integer=True, source="qlora")

    bytes_per_block_fp8 = formula(
        fp8_bytes + fp32_bytes / fp8_block, "byte/param", "Bytes of an fp8 weight with the scale of its block"
    )
    bytes_per_nf4_weight = formula(
        ratio(1, 2) * fp8_bytes + (fp8_bytes + fp32_bytes / scale_block) / nf4_block,
        "byte/param",
        "Bytes of a 4-bit weight with its doubly quantized scale",
    )

    assumptions = ("Blocks are full: their padding is left out.",)
    sources = ("ieee-754", "bfloat16", "fp8-formats", "deepseek-v3", "qlora")
