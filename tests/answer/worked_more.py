"""More small sheets for the worked questions: distances on the globe, transformers, rectangles."""

from __future__ import annotations

from flopsheet import Sheet, acos, ceil, cos, formula, given, log2, max_, sin, sqrt


class Globe(Sheet):
    """Distance between two data centres along the surface of the earth."""

    earth_circumference = given("Way round the earth", "km", default=40030, source="mean radius of 6371 km")
    full_turn = given("Angle of a full turn", "degree", default=360, source="by definition")
    latitude_a = given("Latitude of the first", "degree", example=60.17, minimum=-90, maximum=90)
    longitude_a = given("Longitude of the first", "degree", example=24.94, minimum=-180, maximum=180)
    latitude_b = given("Latitude of the second", "degree", example=50.11, minimum=-90, maximum=90)
    longitude_b = given("Longitude of the second", "degree", example=8.68, minimum=-180, maximum=180)
    central_angle = formula(
        acos(sin(latitude_a) * sin(latitude_b) + cos(latitude_a) * cos(latitude_b) * cos(longitude_b - longitude_a)),
        "degree",
        "Angle between both, seen from the centre of the earth",
    )
    distance = formula(earth_circumference * central_angle / full_turn, "km", "Great-circle distance")


class Transformer(Sheet):
    """Training state of a decoder-only transformer, whose width stands in many places."""

    width = given("Width of the residual stream", "", example=4096, integer=True)
    n_layers = given("Layers", "layer", example=32, integer=True)
    vocabulary = given("Tokens that it knows", "", example=128_000, integer=True)
    context = given("Tokens in a sequence", "token", example=8192)
    bytes_per_param = given("Weight, gradient and moments", "byte/param", default=16, source="fp32 Adam")
    bytes_per_activation = given("Activation of one token and unit of width", "byte/token", default=2, source="bf16")
    matrices = given("Square matrices of a layer: attention 4, feed-forward 8", "param", default=12, source="GPT-3")
    per_entry = given("Parameters of an entry of a matrix", "param", default=1, source="by definition")
    layer_params = formula(matrices * width**2 * n_layers, "param", "Parameters of the layers")
    embedding_params = formula(per_entry * vocabulary * width, "param", "Parameters of the embedding")
    params = formula(layer_params + embedding_params, "param", "Parameters")
    state = formula(params * bytes_per_param, "GiB", "Training state")
    activations = formula(context * width * n_layers * bytes_per_activation, "GiB", "Inputs of the layers")
    memory = formula(state + activations, "GiB", "State and activations")
    aspect = formula(width / n_layers, "", "Width over depth")


class GatedModel(Sheet):
    """Parameters of a model whose hidden width is rounded up."""

    width = given("Width of the residual stream", example=4096, integer=True)
    n_layers = given("Layers", "layer", example=32, integer=True)
    hidden_width = formula(ceil(8 * width / 3), "", "Hidden width of a gated feed-forward block", integer=True)
    params = formula(n_layers * (4 * width**2 + 3 * width * hidden_width), "", "Parameters", integer=True)


class AllReduce(Sheet):
    """Time of an all-reduce by a tree or a ring, whichever is slower, over a number of devices."""

    n_devices = given("Devices that take part", "device", example=64)
    message = given("Data that each device holds", "GB", example=2)
    bandwidth = given("Bandwidth of a link", "GB/s", example=50)
    hop = given("Time of one hop", "ms", example=5)
    steps_of_tree = formula(2 * log2(n_devices), "", "Hops up and down a tree")
    tree_time = formula(steps_of_tree * hop, "ms", "Time of the hops")
    ring_time = formula(2 * message * (n_devices - 1) / (n_devices * bandwidth), "ms", "Time of the data")
    jitter = formula(hop * sqrt(n_devices), "ms", "Time lost to the slowest of many")
    total_time = formula(max_(tree_time, ring_time) + jitter, "ms", "Time of the all-reduce")


class Rectangle(Sheet):
    """A rectangle of chips on a board."""

    side_a = given("One side", "m", example=3)
    side_b = given("The other side", "m", example=4)
    area = formula(side_a * side_b, "m^2", "Area")
    diagonal = formula(sqrt(side_a**2 + side_b**2), "m", "Diagonal")
    perimeter = formula(2 * (side_a + side_b), "m", "Way round it")
    imbalance = formula(abs(side_a - side_b), "m", "How far it is from a square")
