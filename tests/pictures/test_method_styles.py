"""Lines of one method keep its colour, and still can be told apart."""

from swarmbed.pictures.style import METHOD_STYLES, styles_of


def test_two_of_one_method_share_its_colour_and_differ_in_dashes() -> None:
    styles = styles_of(["NN+", "NN+ (other settings)", "RBF"])
    assert styles["NN+"] == METHOD_STYLES["NN+"]
    assert styles["NN+ (other settings)"].color == METHOD_STYLES["NN+"].color
    assert len(set(styles.values())) == 3
