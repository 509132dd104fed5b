"""Home, and the server: `streamlit run app.py` imports this file for the addresses it answers, and runs it for each visitor of Home."""

from streamlit.starlette import App

from pages._frame.listening import serving
from pages._frame.server import middleware, routes
from pages._home.ahead import opening_ahead

if __name__ == "__main__":
    from pages._home.door import open_page

    open_page()
else:
    app = App(__file__, routes=routes(), middleware=middleware(), lifespan=serving(opening_ahead))
