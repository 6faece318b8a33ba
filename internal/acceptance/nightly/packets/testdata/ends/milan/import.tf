import {
  to = liqo_configuration.rome
  id = "milan/rome"
}

import {
  to = liqo_gateway_server.rome
  id = "milan/rome"
}

import {
  to = liqo_public_key.rome
  id = "milan/rome"
}
