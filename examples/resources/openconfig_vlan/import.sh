terraform import openconfig_vlan.servers 'leaf1,DEFAULT,10'
