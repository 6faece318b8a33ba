import {
  to = liqo_shortcut.rome_milan
  id = "rome/milan" # client/server
}
