terraform import openconfig_bgp.underlay 'leaf1,DEFAULT,BGP'
