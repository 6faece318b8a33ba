# client/server
terraform import liqo_shortcut.rome_milan rome/milan
