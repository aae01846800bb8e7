terraform import openconfig_network_instance.tenant 'leaf1,tenant'
