import {
  to = liqo_configuration.milan
  id = "rome/milan"
}

import {
  to = liqo_gateway_client.milan
  id = "rome/milan"
}

import {
  to = liqo_public_key.milan
  id = "rome/milan"
}
