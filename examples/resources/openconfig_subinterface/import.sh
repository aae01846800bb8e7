terraform import openconfig_subinterface.uplink 'leaf1,Ethernet1/1,0'
