"""Start the server and open Home. `streamlit run app.py` imports this file once for its routes, and runs it for each user of Home."""

from streamlit.starlette import App

from pages._frame.listening import make_lifespan
from pages._frame.server import middleware, routes
from pages._home.live import open_ahead

if __name__ == "__main__":
    from core.common import model_layers
    from core.common.i18n import t
    from pages._frame.frame import frame, lede, question, show

    in_use = frame("app.py")
    question(t("Does a word mean the same thing twice?"))
    line = t(
        "<b>GloVe</b> has one vector per spelling. <b>{model}</b> reads the sentence and gives the word a new vector each time.",
        model=model_layers.in_use().called,
    )
    lede(line)
    show("pages._home.live", in_use)
else:
    app = App(__file__, routes=routes(), middleware=middleware(), lifespan=make_lifespan(open_ahead))
