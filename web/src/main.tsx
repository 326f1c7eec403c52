import { render } from "preact";

render(<p>Prime</p>, document.body);
