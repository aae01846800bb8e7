terraform import openconfig_bgp_peer_group.spines 'leaf1,DEFAULT,BGP,spines'
