terraform import openconfig_interface.server 'leaf1,Ethernet1/2'
