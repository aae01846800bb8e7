terraform import openconfig_bgp_neighbor.spine1 'leaf1,DEFAULT,BGP,192.0.2.0'
