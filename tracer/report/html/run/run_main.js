import {RunPage} from "./run_page.js";

new RunPage(JSON.parse(document.getElementById("trace").textContent), document);
