"""Start the server and open Home. `streamlit run app.py` imports this file once for its routes, and runs it for each user of Home."""

from streamlit.starlette import App

from pages._frame.listening import make_lifespan
from pages._frame.server import middleware, routes
from pages._home.ahead import open_ahead

if __name__ == "__main__":
    from pages._home.door import open_page

    open_page()
else:
    app = App(__file__, routes=routes(), middleware=middleware(), lifespan=make_lifespan(open_ahead))
